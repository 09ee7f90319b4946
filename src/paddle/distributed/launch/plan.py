"""Which ranks run where: from the launcher's options to machines, endpoints and devices."""

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Node:
    """One machine and the number of ranks it runs."""

    address: str
    ranks: int


@dataclass
class Plan:
    """A job: machines in rank order, devices of each machine, first port."""

    nodes: list
    devices: list = field(default_factory=list)
    start_port: int = 6170

    @property
    def size(self):
        """Ranks in the whole job."""
        return sum(node.ranks for node in self.nodes)

    @property
    def endpoints(self):
        """``address:port`` of every rank, in rank order."""
        return [f"{node.address}:{self.start_port + i}" for node in self.nodes for i in range(node.ranks)]

    def summary(self, current):
        """The line that the first generations print below the configuration."""
        addresses = [node.address for node in self.nodes]
        node_id = addresses.index(current)
        return (f"trainers_endpoints: {','.join(self.endpoints)} , node_id: {node_id} , current_node_ip: {current} , "
                f"num_nodes: {len(addresses)} , node_ips: {addresses} , nranks: {self.size}")


def numbers(text, flag):
    """Device numbers of a list such as ``0,1``."""
    parts = [p.strip() for p in text.split(",") if p.strip()]
    if not parts or not all(p.isdigit() for p in parts):
        raise ValueError(f"{flag}: expected device numbers such as 0,1, got {text!r}")
    return parts


def local_devices(options, environ):
    """Devices of one machine, one worker each; a machine without GPUs counts them all the same."""
    visible = [d for d in environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if d.strip() and d.strip() != "-1"]
    for flag, text in (("--devices", options.devices), ("--selected_gpus", options.selected_gpus)):
        if text:
            chosen = numbers(text, flag)
            if flag == "--selected_gpus" and visible:
                missing = [d for d in chosen if d not in visible]
                if missing:
                    raise ValueError(f"--selected_gpus: {', '.join(missing)} not in CUDA_VISIBLE_DEVICES "
                                     f"({', '.join(visible)})")
                chosen = [str(visible.index(d)) for d in chosen]  # programs count from the first visible device
            break
    else:
        chosen = [str(i) for i in range(len(visible))]
    count = options.nproc_per_node
    if count is None:
        return chosen or ["0"]
    if count < 1:
        raise ValueError(f"--nproc_per_node: expected at least 1, got {count}")
    if chosen and (options.devices or options.selected_gpus) and count != len(chosen):
        raise ValueError(f"--nproc_per_node {count} disagrees with the {len(chosen)} devices {','.join(chosen)}")
    return chosen if len(chosen) == count else [str(i) for i in range(count)]


def slurm_hosts(text):
    """Host names of a compact Slurm list: ``n[01-03,7],login`` gives n01, n02, n03, n7, login."""
    hosts = []
    for item in re.findall(r"[^,\[\]]+(?:\[[^\]]*\][^,\[\]]*)?", text):
        match = re.fullmatch(r"([^\[]+)\[([^\]]*)\](.*)", item)
        if not match:
            hosts.append(item)
            continue
        prefix, ranges, suffix = match.groups()
        for span in ranges.split(","):
            first, _, last = span.partition("-")
            for number in range(int(first), int(last or first) + 1):
                hosts.append(f"{prefix}{number:0{len(first)}d}{suffix}")
    return hosts


def addresses(options, environ):
    """Addresses of the machines that this launcher starts, and the one it runs on."""
    if options.use_paddlecloud:
        missing = [v for v in ("PADDLE_TRAINERS", "POD_IP") if not environ.get(v)]
        if missing:
            raise ValueError(f"--use_paddlecloud: {' and '.join(missing)} not set")
        return split_addresses(environ["PADDLE_TRAINERS"], "PADDLE_TRAINERS"), environ["POD_IP"]
    if options.ips:
        hosts = split_addresses(options.ips, "--ips")
    elif options.launcher == "slurm" and environ.get("SLURM_JOB_NODELIST"):
        hosts = slurm_hosts(environ["SLURM_JOB_NODELIST"])
    else:
        hosts = split_addresses(options.cluster_node_ips, "--cluster_node_ips")
        if options.node_ip == "127.0.0.1" and options.host is None:
            return hosts, hosts[0]
        return hosts, options.host or options.node_ip
    return hosts, options.host or hosts[0]


def split_addresses(text, flag):
    """Addresses of a comma list, each named once."""
    hosts = [h.strip() for h in text.split(",") if h.strip()]
    if not hosts:
        raise ValueError(f"{flag}: no address in {text!r}")
    repeated = sorted({h for h in hosts if hosts.count(h) > 1})
    if repeated:
        raise ValueError(f"{flag}: {', '.join(repeated)} named twice; --nproc_per_node gives the ranks of a machine")
    return hosts


def make_plan(options, environ):
    """The job of these options and the address of this machine in it."""
    devices = local_devices(options, environ)
    if options.selected_gpus is None and environ.get("CUDA_VISIBLE_DEVICES"):
        options.selected_gpus = ",".join(devices)
    hosts, current = addresses(options, environ)
    if current not in hosts:
        raise ValueError(f"this machine is {current}, which is not among {', '.join(hosts)}")
    port = options.start_port if options.modern else options.started_port
    return Plan([Node(h, len(devices)) for h in hosts], devices, port), current
