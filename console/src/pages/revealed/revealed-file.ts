import { apiUrl, path } from '#api/client.ts'
import { type FormatId, formatOf, hasColumns } from '../export-dialog/export-form-state.ts'

interface RevealedFile {
  format: FormatId
  /** In this order; null for all. */
  columns: readonly string[] | null
  /** The domain of a store: only its people. */
  store: string | undefined
}

/** The address of the revealed people as a file. */
export function revealedFileUrl(account: string, { format, columns, store }: RevealedFile): string {
  const query = new URLSearchParams({
    ...formatOf(format),
    ...(columns && hasColumns(format) && { columns: columns.join(',') }),
    ...(store && { search: store }),
  })
  return `${apiUrl(path`/accounts/${account}/revealed/file`)}?${query}`
}
