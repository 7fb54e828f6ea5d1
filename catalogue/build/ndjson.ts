import { writeFileSync } from 'node:fs'

export function toNdjson(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Writes import records to a file named relative to the catalogue folder. */
export function writeRecords(name: string, records: readonly object[]): void {
  writeFileSync(new URL(`../${name}`, import.meta.url), toNdjson(records))
}
