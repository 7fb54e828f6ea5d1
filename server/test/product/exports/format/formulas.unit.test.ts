import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvRejects } from '../../../../src/catalogue/imports/records/rejects-formats.ts'
import { StoreRecord } from '../../../../src/catalogue/imports/stores/store-record.ts'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { columnsOf, createRecordCsv } from '../../../../src/operations/backup/records/record-csv.ts'
import { exportKinds } from '../../../../src/product/exports/format/columns.ts'
import { createExportFormat } from '../../../../src/product/exports/format/export-format.ts'
import { exportPresets } from '../../../../src/product/exports/format/select-columns.ts'
import { formulasIn, hostileText } from '../../../foundation/kernel/support/formulas.ts'
import { filesIn } from '../../../promises/architecture/support/tree.ts'

/** An item of each kind with this text in every field that has text. */
function itemsWith(text: string): Record<(typeof exportKinds)[number], string> {
  const lists = { apps: [text, text], pixels: [text], theme: { name: text, type: text } }
  const store = {
    id: text,
    object: 'store',
    domain: text,
    name: text,
    category: text,
    country: text,
    technologies: lists,
  }
  const names = {
    id: text,
    full_name: text,
    first_name: text,
    last_name: text,
    last_name_obfuscated: text,
    title: text,
  }
  const email = { email: text, status: text, type: text }
  const phone = { phone: text, type: text }
  const channels = {
    profile_url: text,
    emails: [
      { ...email, is_primary: true },
      { ...email, is_primary: false },
      { ...email, is_primary: false },
    ],
    phones: [
      { ...phone, is_primary: true },
      { ...phone, is_primary: false },
      { ...phone, is_primary: false },
    ],
  }
  return {
    stores: JSON.stringify({ ...store, lead_fit_score: -7.25, contacts_summary: { roles: [text, text] } }),
    previews: JSON.stringify({ ...names, role: text, seniority: text, store }),
    contacts: JSON.stringify({ ...names, ...channels, role: text, seniority: text, store, revealed_at: text }),
  }
}

const writers = exportKinds.flatMap((kind) =>
  [undefined, ...exportPresets].flatMap((preset) => {
    try {
      return [{ kind, preset, format: createExportFormat({ kind, format: 'csv', preset }) }]
    } catch (error) {
      // A preset that is not for this kind.
      if (error instanceof Refusal) return []
      throw error
    }
  }),
)

/** Those that no spreadsheet is meant to open: their programs would store an apostrophe with the value. */
const isForCrm = ({ preset }: (typeof writers)[number]) => preset === 'hubspot' || preset === 'salesforce'

test.each(writers.filter((writer) => !isForCrm(writer)))(
  'exports of $kind with preset $preset hold no formula, whoever splits them',
  ({ kind, format }) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(formulasIn(format.header() + format.rows([itemsWith(text)[kind]]))).toEqual([])
      }),
    )
  },
)

test.each([',', ';', '\t', '|'])('rejects with %j hold no formula, whoever splits them', async (delimiter) => {
  await fc.assert(
    fc.asyncProperty(hostileText, hostileText, hostileText, async (header, cell, reason) => {
      const rejects = csvRejects([header, 'name'], delimiter).begin(new Date(0))
      rejects.add({ line: 2, reason, original: [cell, cell, cell] }, 1e6)
      expect(formulasIn((await rejects.end()).toString())).toEqual([])
    }),
  )
})

test('records that are written for another installation hold no formula, whoever splits them', () => {
  const columns = columnsOf(StoreRecord, new Map())
  fc.assert(
    fc.property(hostileText, (text) => {
      const record = { domain: text, name: text, aliases: [text, text], technologies: { theme: { name: text } } }
      expect(formulasIn(createRecordCsv(columns, StoreRecord).row(record))).toEqual([])
    }),
  )
})

test('one module writes CSV: no other doubles quotes', () => {
  const doubling = filesIn(/^(server|client|console|packages\/[^/]+)\/src\//).filter(({ literals }) =>
    literals.includes('""'),
  )
  expect(doubling.map(({ path }) => path)).toEqual([
    // The name of a folder in a setting of PostgreSQL.
    'packages/embedded-postgres/src/settings.ts',
    'server/src/foundation/kernel/csv.ts',
  ])
})
