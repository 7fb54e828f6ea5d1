/** Why a workbook cannot be read: the rest of a sentence that begins with the file's name and a colon. */
export class WorkbookError extends Error {
  override name = 'WorkbookError'
}

/** A file that is not what its parts say. */
export function damaged(what: string): WorkbookError {
  return new WorkbookError(`the workbook is damaged: ${what}. Open it, save it again, and import that file`)
}
