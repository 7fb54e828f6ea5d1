import type { FormatId } from './export-form-state.ts'

/** Where the format that somebody took last is kept, for the next time. */
export const settingGroup = 'export'

const formats: readonly FormatId[] = ['csv', 'excel', 'hubspot', 'salesforce', 'ndjson']

export function knownFormat(stored: unknown): FormatId {
  return formats.find((format) => format === stored) ?? 'csv'
}
