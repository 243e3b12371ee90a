// Counts tokens: reads a JSON array of texts, writes an array of [cl100k_base, o200k_base].
// count.mjs FOLDER, where gpt-tokenizer is installed in FOLDER.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

const from = createRequire(process.argv[2] + '/')
const encodings = ['cl100k_base', 'o200k_base'].map((name) => from('gpt-tokenizer/encoding/' + name))
// What looks like a special token in a text is text.
const asText = { allowedSpecial: new Set(), disallowedSpecial: new Set() }
const texts = JSON.parse(readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(texts.map((text) => encodings.map((one) => one.encode(text, asText).length))))
