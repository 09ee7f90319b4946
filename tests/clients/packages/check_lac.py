"""LAC's three modes."""

from LAC import LAC

SENTENCES = ["我来到北京清华大学", "百度是一家高科技公司"]
assert LAC(mode="seg").run(SENTENCES) == [["我", "来到", "北京清华大学"], ["百度", "是", "一家", "高科技", "公司"]]
words, tags = LAC(mode="lac").run(SENTENCES[1])
assert (words, tags) == (["百度", "是", "一家", "高科技", "公司"], ["ORG", "v", "m", "n", "n"]), (words, tags)
*_, ranks = LAC(mode="rank").run(SENTENCES[1])
assert ranks == [3, 0, 2, 3, 1], ranks
print("words, tags and ranks as expected")
