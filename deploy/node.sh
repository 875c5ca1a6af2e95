#!/bin/sh
# Starts a scrapyd node. Its name and password come from files, so that they stand in no configuration:
# SCRAPYD_USERNAME_FILE and SCRAPYD_PASSWORD_FILE. Where others can reach the node it does not start without them.
set -eu
fail() { printf 'node.sh: %s\n' "$*" >&2; exit 2; }

if [ -n "${SCRAPYD_PASSWORD_FILE:-}" ]; then
    SCRAPYD_USERNAME=$(cat -- "${SCRAPYD_USERNAME_FILE:?is not set}")
    SCRAPYD_PASSWORD=$(cat -- "$SCRAPYD_PASSWORD_FILE")
    export SCRAPYD_USERNAME SCRAPYD_PASSWORD
fi
case "${SCRAPYD_BIND_ADDRESS:-127.0.0.1}" in
127.* | ::1 | localhost) ;;
*)
    [ -n "${SCRAPYD_USERNAME:-}" ] && [ -n "${SCRAPYD_PASSWORD:-}" ] ||
        fail "SCRAPYD_BIND_ADDRESS is $SCRAPYD_BIND_ADDRESS: others can reach it, so it needs a name and a password"
    ;;
esac
# scrapyd asks Scrapy for the names of spiders without the [settings] of scrapyd.conf
SCRAPY_SETTINGS_MODULE=${SCRAPY_SETTINGS_MODULE:-topicspider.settings}
export SCRAPY_SETTINGS_MODULE
# scrapyd asks for the setuptools that it is installed with, and would say so of each crawl
PYTHONWARNINGS=${PYTHONWARNINGS:-ignore:pkg_resources is deprecated:UserWarning}
export PYTHONWARNINGS
exec "${TOPICSPIDER_PYTHON:-python3}" -m scrapyd --pidfile= "$@"
