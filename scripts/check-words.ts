// Lists old words that are still used (test/boundaries/words.ts): `npm run check:words [-- part of a path]`.
import { checkedForWords, oldWordsIn } from '../test/boundaries/words.ts'

const [, , part = ''] = process.argv
const files = checkedForWords().filter(({ path }) => path.includes(part))
const found = files.flatMap(oldWordsIn)
for (const line of found) console.log(line)
console.log(`words: ${files.length} files, ${found.length} old words`)
process.exitCode = found.length > 0 ? 1 : 0
