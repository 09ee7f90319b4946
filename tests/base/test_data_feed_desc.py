"""DataFeedDesc: texts of messages, read and written as protobuf does."""

import pytest

import paddle

TEXT = '''name: "MultiSlotDataFeed"
batch_size: 2
multi_slot_desc {
  slots {
    name: "words"
    type: "uint64"
    is_dense: false
    is_used: true
  }
  slots {
    name: "label"
    type: "uint64"
  }
}
'''


def desc(tmp_path, text):
    path = tmp_path / "data.proto"
    path.write_text(text)
    return paddle.base.DataFeedDesc(str(path))


def test_the_text_comes_back_with_what_was_set(tmp_path):
    assert desc(tmp_path, TEXT).desc() == TEXT
    assert desc(tmp_path, TEXT.replace("slots {", "slots: {  # one").replace("\n    ", ";\n\t")).desc() == TEXT
    feed = desc(tmp_path, TEXT)
    feed.set_batch_size(1)
    feed.set_dense_slots(["words"])
    feed.set_use_slots(["label"])
    expected = TEXT.replace("batch_size: 2", "batch_size: 1").replace("is_dense: false", "is_dense: true")
    assert feed.desc() == expected.replace('"label"\n    type: "uint64"\n', '"label"\n    type: "uint64"\n    is_used: true\n')
    with pytest.raises(KeyError, match="no slot 'x'"):
        feed.set_use_slots(["x"])


@pytest.mark.parametrize("text", ["name", "name: ", "slots {", "}", "name: \"a\" ?", "3: 4"])
def test_what_is_no_message_is_refused(tmp_path, text):
    with pytest.raises(ValueError, match="DataFeedDesc"):
        desc(tmp_path, text)
