import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'

export type Row = Record<string, string>

/** Reads the external lists of the taxonomy from one local folder; README.md names them. */
export class Sources {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  countries = () => this.#read('countries/country-codes.csv')
  productCategories = () => this.#read('taxonomy-shopify/categories.csv')
  appStore = () => this.#read('tech-shopify-apps/shopify-apps.csv')
  tags = () => this.#read('tech-third-party-web/entities.csv')
  hosts = () => this.#read('tech-third-party-web/observed-third-party-hosts-2025-04.csv.gz')
  cookies = () => this.#read('tech-open-cookie-db/platforms.csv')

  #read(name: string): Row[] {
    const bytes = readFileSync(path.join(this.#folder, name))
    return readCsv(name.endsWith('.gz') ? gunzipSync(bytes) : bytes)
  }
}

/** Every cell stays text: a reader that guesses types loses Namibia, whose code is NA. */
export function readCsv(bytes: Uint8Array): Row[] {
  return parse(Buffer.from(bytes), { columns: true, bom: true }) as Row[]
}

/** The taxonomy value of a label: lower-case ASCII letters and digits, with one underscore for anything between. */
export function slugOf(label: string): string {
  return label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’\p{Mark}]/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}
