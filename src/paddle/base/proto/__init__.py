"""paddle.base.proto: the messages of program files."""
