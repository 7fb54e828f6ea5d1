/** Which columns a file has. */
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { nearestTexts } from '../../../foundation/kernel/similarity.ts'
import { quote } from '../../../search/query/vocabulary.ts'
import { type Column, columnsOfKind, type ExportKind } from './columns.ts'
import { hubspotColumns, salesforceColumns } from './presets.ts'

export const exportPresets = ['hubspot', 'salesforce', 'excel'] as const
export type Preset = (typeof exportPresets)[number]

export interface ColumnsRequest {
  kind: ExportKind
  columns?: readonly string[] | undefined
  preset?: Preset | undefined
}

const presetColumns = { hubspot: hubspotColumns, salesforce: salesforceColumns }

/** Whether a preset is for a customer relationship system, with columns of its own. */
export function isForCrm(preset: Preset | undefined): preset is keyof typeof presetColumns {
  return preset !== undefined && preset in presetColumns
}

/** Throws `invalid_column` for an unknown column or one that is named twice, and `invalid_request` for a preset that does not fit. */
export function selectColumns({ kind, columns: names, preset }: ColumnsRequest): readonly Column[] {
  if (isForCrm(preset)) {
    if (kind !== 'contacts')
      throw new Refusal('invalid_request', `The preset ${preset} is for exports of kind contacts.`, {
        param: 'preset',
      })
    if (names)
      throw new Refusal('invalid_request', `The preset ${preset} has columns of its own.`, { param: 'columns' })
    return presetColumns[preset] as readonly Column[]
  }
  const available = columnsOfKind[kind]
  return names ? names.map((name, index) => findColumn(available, names, name, index)) : available
}

function findColumn(available: readonly Column[], names: readonly string[], name: string, index: number): Column {
  const param = `columns[${index}]`
  const column = available.find((each) => each.name === name)
  if (!column) {
    const known = available.map((each) => each.name)
    const nearest = nearestTexts(known, name).slice(0, 3).join(', ')
    const hint = nearest === '' ? `the columns are ${known.join(', ')}` : `nearest: ${nearest}`
    throw new Refusal('invalid_column', `${quote(name)} is not a column of this kind; ${hint}.`, { param })
  }
  if (names.indexOf(name) !== index) throw new Refusal('invalid_column', `${name} is named twice.`, { param })
  return column
}
