import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../architecture/support/tree.ts'

/** Tables that hold nothing about people. The others are in the table of `docs/privacy.md`. */
const withoutPeople = [
  'billing_events',
  'billing_windows',
  'catalogue_batches',
  'catalogue_state',
  'catalogue_statistics',
  'clock_readings',
  'export_rollups',
  'installation',
  'key_counters',
  'ledger_rollups',
  'list_counts',
  'list_pending',
  'list_stores',
  'readiness_probe',
  'removed_stores',
  'request_windows',
  'schema_migrations',
  'store_changes',
  'store_domains',
  'store_exports',
  'taxonomy_values',
  'usage_counters',
]
/** Columns that are about a person in whatever table they are. */
const personal =
  /(^|_)(email|emails|person|person_id|invited_by|contact_id|contact_ids|address|user_agent|identities|sealed|password|preview)(_|$)/

const page = readFileSync(join(project, 'docs/privacy.md'), 'utf8')
const schema = readFileSync(join(project, 'server/schema.sql'), 'utf8')
const tables = [...schema.matchAll(/^create table (\w+) \(\n(.*?)^\);/gms)].map(([, name, body]) => ({
  name: name!,
  columns: [...body!.matchAll(/^ {2}(\w+) /gm)].map(([, column]) => column!),
}))
/** The second cell of each row: where the data is. */
const places = [...page.matchAll(/^\|[^|]+\|([^|]+)\|.*$/gm)].flatMap(([row, cell]) =>
  [...cell!.matchAll(/`(\w+)(?:\.(\w+))?`/g)].map(([, table, column]) => ({ table, column, row })),
)

test('every table that holds something about people has its row in the page on privacy', () => {
  expect(tables.length).toBeGreaterThan(40)
  const named = tables.filter(({ name }) => places.some(({ table }) => table === name)).map(({ name }) => name)
  expect(tables.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual(withoutPeople)
})

test('no table without a row there has a column about a person', () => {
  const found = tables
    .filter(({ name }) => withoutPeople.includes(name))
    .flatMap(({ name, columns }) =>
      columns.filter((column) => personal.test(column)).map((column) => `${name}.${column}`),
    )
  expect(found).toEqual([])
})

test('where a row names single columns, the others about people have rows, too', () => {
  const missing = tables.flatMap(({ name, columns }) => {
    const rows = places.filter(({ table }) => table === name)
    if (rows.length === 0 || rows.some(({ column }) => column === undefined)) return []
    return columns
      .filter((column) => personal.test(column) && !rows.some(({ row }) => new RegExp(`\\b${column}\\b`).test(row)))
      .map((column) => `${name}.${column}`)
  })
  expect(missing).toEqual([])
})

test('every table and column that the page names is there', () => {
  const tableOf = (wanted: string) => tables.find(({ name }) => name === wanted)
  const known = places.filter(({ table }) => tableOf(table!))
  expect(known.length).toBeGreaterThan(20)
  expect(known.filter(({ table, column }) => column && !tableOf(table!)!.columns.includes(column))).toEqual([])
})
