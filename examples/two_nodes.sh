#!/bin/sh
# Two nodes share one crawl, and no page is fetched twice: two_nodes.sh REDIS_URL TOPIC [ARGUMENT …]
# Each keeps its pages in a folder of its own; with -s TOPICSPIDER_STORE=mysql://… both write into one store.
set -eu
[ $# -ge 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
redis=$1 topic=$2
shift 2
for node in one two; do
    "${PYTHON:-python3}" -m topicspider crawl topic -a topic="$topic" -s TOPICSPIDER_FRONTIER="$redis" -s TOPICSPIDER_NODE=$node \
        -s TOPICSPIDER_DATA="data-$node" "$@" &
done
wait
