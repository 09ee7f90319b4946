// Opens a model with Netron's own reader and prints what it found. Arguments: Netron's folder, the model.
import fs from 'node:fs';
import path from 'node:path';
import url from 'node:url';

const [folder, file] = process.argv.slice(2);
const load = (name) => import(url.pathToFileURL(path.join(folder, name)));
const base = await load('base.js');
const view = await load('view.js');
const stream = (name) => new base.BinaryStream(new Uint8Array(fs.readFileSync(path.join(path.dirname(file), name))));
const fail = (error) => { throw error; };
const require = (id) => load(`${id}.js`);
const asset = async (name) => fs.readFileSync(path.join(folder, name), 'utf-8');
const host = {environment: () => undefined, event: () => {}, exception: fail, require, asset};
const name = path.basename(file);
const context = {identifier: name, stream: stream(name), fetch: async (other) => stream(other), require, asset, error: fail};
const model = await new view.ModelFactoryService(host).open(context);
const graph = (model.modules || model.graphs)[0];
const names = (list) => list.flatMap((argument) => argument.value.map((value) => value.name));
console.log(JSON.stringify({format: model.format, inputs: names(graph.inputs), outputs: names(graph.outputs),
    nodes: graph.nodes.map((node) => node.type.name)}));
