"""paddle.incubate.hapi.text of 2.0 alpha: recurrent layers, decoders, Transformers and conditional random fields."""
