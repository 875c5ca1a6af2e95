"""A topic that comes as text is kept under its name; what is wrong with it is said as of a file."""

from __future__ import annotations

import pytest

from topicspider.errors import ConfigError
from topicspider.topic.loading import load_topic, save_inline_topic
from topicspider.topic.yaml_node import MAX_BYTES

TEA = "name: 茶叶\nterms: {茶叶: 1.0, 普洱: 0.8}\n"


def test_it_is_kept_under_its_own_name_and_loads(tmp_path):
    path = save_inline_topic(TEA, "", str(tmp_path))
    assert path == (tmp_path / "topics" / "茶叶.yaml").resolve()
    assert load_topic(str(path)).terms == {"茶叶": 1.0, "普洱": 0.8}


def test_a_text_without_a_name_takes_the_one_given(tmp_path):
    path = save_inline_topic("terms: {rowing: 1.0}\n", "rowing", str(tmp_path))
    assert load_topic(str(path)).name == "rowing"


def test_the_same_text_again_leaves_the_file_alone_and_another_replaces_it(tmp_path):
    first = save_inline_topic(TEA, "", str(tmp_path))
    written = first.stat()
    assert save_inline_topic(TEA, "茶叶", str(tmp_path)).stat().st_mtime_ns == written.st_mtime_ns
    save_inline_topic(TEA.replace("0.8", "0.9"), "", str(tmp_path))
    assert load_topic(str(first)).terms["普洱"] == 0.9


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("name: x\nterms: {茶: much}\n", "", "topic_yaml:2: terms"),
        ("terms: {茶: 1.0}\n", "", "topic_yaml:1: name"),
        ("name: ../../etc/x\nterms: {茶: 1.0}\n", "", "topic_yaml:1: name"),
        ("terms: {茶: 1.0}\n", "../x", "topic_yaml:1: name"),
        ("name: [\n", "x", "topic_yaml:"),
        ("name: a\nterms: {茶: 1.0}\n", "b", "topic: 'b' is not valid; allowed: a, as topic_yaml says"),
        ("\udcff", "x", "topic_yaml:1"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path, content, name, said):
    with pytest.raises(ConfigError, match="topic") as found:
        save_inline_topic(content, name, str(tmp_path))
    assert said in str(found.value)
    assert not list(tmp_path.rglob("*.yaml"))


def test_a_sent_topic_gets_no_password_of_the_server(tmp_path):
    content = "name: a\nterms: {茶: 1.0}\nsites: {own.example: {user: me, password_env: AWS_SECRET}}\n"
    with pytest.raises(ConfigError, match="password_env"):
        save_inline_topic(content, "", str(tmp_path))
    assert not list(tmp_path.rglob("*.yaml"))


def test_a_text_too_long_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="bytes of YAML"):
        save_inline_topic("#" * (MAX_BYTES + 1), "x", str(tmp_path))


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "topics").write_text("a file")
    with pytest.raises(ConfigError, match="TOPICSPIDER_DATA"):
        save_inline_topic(TEA, "", str(tmp_path))
