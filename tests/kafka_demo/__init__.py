"""`make demo-kafka`: the demo of `mahjic demo`, on a real Kafka with every role a process."""
