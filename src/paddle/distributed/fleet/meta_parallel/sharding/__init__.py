"""Group sharding beyond optimizer states: stage 2 and stage 3 of ``group_sharded_parallel``."""
