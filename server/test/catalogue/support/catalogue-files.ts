import { readFileSync } from 'node:fs'

/** Reads a file of the folder `catalogue/`. */
export function readCatalogueText(name: string): string {
  return readFileSync(new URL(`../../../../catalogue/${name}`, import.meta.url), 'utf8')
}

export function readCatalogueRecords<Record>(name: string): Record[] {
  return readCatalogueText(name)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record)
}
