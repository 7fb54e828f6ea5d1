import { readFileSync } from 'node:fs'

/** A file by its name in the catalogue folder. */
export function readText(name: string): string {
  return readFileSync(new URL(`../../../../catalogue/${name}`, import.meta.url), 'utf8')
}

export function readRecords<Record>(name: string): Record[] {
  return readText(name)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record)
}
