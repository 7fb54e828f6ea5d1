/** npx tsx catalogue/build/write-real-shops.ts <brands.csv>: rewrites catalogue/demo/real-shops.ndjson. */
import { readFileSync } from 'node:fs'
import { convertBrands } from '../../docs/examples/convert-nsi-brands.mjs'
import { writeRecords } from './ndjson.ts'

const [file] = process.argv.slice(2)
if (!file) throw new Error('usage: npx tsx catalogue/build/write-real-shops.ts <brands.csv>')
writeRecords('demo/real-shops.ndjson', convertBrands(readFileSync(file, 'utf8')))
