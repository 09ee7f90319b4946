"""jieba's paddle mode; the words are those of the same network computed with NumPy from the same files (recorded)."""

import jieba

WORDS = ["我/来到/北京清华大学", "乒乓球/拍卖/完/了", "中国科学技术大学", "他/说/的/确实/在/理",
         "小明/硕士/毕业/于/中国科学院计算所/，/后/在/日本京都大学/深造"]
jieba.enable_paddle()
for words in WORDS:
    found = "/".join(jieba.cut(words.replace("/", ""), use_paddle=True))
    assert found == words, (found, words)
print(f"{len(WORDS)} sentences equal")
