import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildBook, buildSheet } from '@storedex/testkit/workbooks'

/** Writes the files that the reader of a document has, such as the spreadsheet of a first import. */
export function writeReadersFiles(file: string, folder: string): void {
  const files = filesOf[file] ?? {}
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
}

const filesOf: Record<string, Record<string, string | Buffer>> = {
  'README.md': {
    'shops.xlsx': buildSheet([
      ['domain', 'name'],
      ['shop.example', 'Shop'],
    ]),
  },
  'docs/examples/README.md': {
    'brands.csv':
      'domain,name,category,country,countries,worldwide,other_locations,dissolved\n' +
      'www.brand.example,Brand,shoes,DE,DE,0,0,0\n',
  },
  'docs/operations/import.md': {
    'shops.csv': spreadsheet(),
    'shops.xlsx': buildBook({
      sheets: [
        { name: 'Notes', rows: [['Call them on Monday']] },
        { name: 'All shops', rows: [['domain'], ['willow-teas.example']] },
      ],
    }),
    'contacts.csv':
      'store_domain,first_name,role,emails.0.email\naurora-candles.example,Ada,founder,ada@people.example\n',
    'stores.ndjson': '{"domain":"willow-teas.example","name":"Willow Teas"}\n',
    'stores.csv.gz': gzipSync('domain,name\nfern-crafts.example,Fern Crafts\n'),
    'contacts.ndjson': `${JSON.stringify({
      store_domain: 'willow-teas.example',
      first_name: 'Mara',
      role: 'marketing',
      emails: [{ email: 'mara@willow-teas.example', status: 'verified' }],
    })}\n`,
    'oak.ndjson':
      '{"domain":"birch-and-steel.example"}\n' +
      '{"domain":"oak-and-iron.example","technologies":{"apps":["brand_new_app"]}}\n',
  },
  'docs/operations/catalogue.md': { 'do-not-contact.txt': 'nobody@willow-teas.example\n' },
}

/**
 * The spreadsheet of "A first import": 2,000 rows in windows-1252 with semicolons and decimal commas, of which 289 have the
 * documented problems, first on the documented lines. Three rows have two.
 */
function spreadsheet(): Buffer {
  const isOneOf = (line: number, first: number, count: number) =>
    (line - first) % 13 === 0 && line >= first && line < first + 13 * count
  const lines = ['Webshop;name;country;store_created_at.estimate;lead_fit_score;Notes']
  for (let line = 2; line <= 2_001; line++)
    lines.push(
      [
        isOneOf(line, 93, 12) ? 'to be checked' : `first-import-${line}.example`,
        isOneOf(line, 58, 41) ? '=SUM(A1)' : `Bücher ${line}`,
        isOneOf(line, 17, 138) || isOneOf(line, 29, 3) ? 'Deutschlnd' : 'DE',
        isOneOf(line, 29, 98) ? '03/04/2021' : '2020-12-31',
        `${line % 90},5`,
        'call again',
      ].join(';'),
    )
  return Buffer.from(lines.join('\r\n'), 'latin1')
}
