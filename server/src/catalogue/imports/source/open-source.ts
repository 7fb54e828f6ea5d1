import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { TooLargeError, Workbook, WorkbookError } from '@storedex/workbook/read'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { beginsArchive, describeCompoundFile, directoryOfCompoundFile } from './other-formats.ts'
import {
  defaultMaxUnpackedMb,
  mostTimes,
  openTextFile,
  readableFile,
  readFailureOf,
  type TextFile,
  tooLargeError,
} from './text.ts'

/** A workbook to import from. */
export interface WorkbookFile {
  format: 'xlsx'
  name: string
  file: string
  bytesTotal: number
  bytesRead(): number
  maxUnpackedMb: number
  workbook: Workbook
  close(): void
}

export type ImportSource = TextFile | WorkbookFile

/** Opens an import file: a workbook by its content, a text by its name, or standard input (JSON) for `-`. */
export async function openSource(
  file: string,
  stdin: Readable | undefined,
  maxUnpackedMb = defaultMaxUnpackedMb,
): Promise<ImportSource> {
  const archiveBytes = file === '-' ? null : await sizeOfArchive(file)
  if (archiveBytes === null) return openTextFile(file, stdin, maxUnpackedMb)
  return openWorkbook(file, archiveBytes, maxUnpackedMb)
}

const headBytes = 512
const directoryBytes = 4_096

/** Null for what is no archive. Throws an `OperatorError` for an old container that is no workbook, or is encrypted. */
async function sizeOfArchive(path: string): Promise<number | null> {
  const stats = await readableFile(path)
  if (!stats.isFile()) return null
  const file = await open(path)
  try {
    const read = async (at: number, bytes: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at)
      return buffer.subarray(0, bytesRead)
    }
    const first = await read(0, headBytes)
    const directory = directoryOfCompoundFile(first)
    const other = directory === null ? null : describeCompoundFile(await read(directory, directoryBytes))
    if (other !== null) throw new OperatorError(`${path}: ${other}.`)
    return beginsArchive(first) ? stats.size : null
  } finally {
    await file.close()
  }
}

async function openWorkbook(file: string, bytesTotal: number, maxUnpackedMb: number): Promise<WorkbookFile> {
  const limits = { maxUnpackedBytes: maxUnpackedMb * 1e6, maxTimes: mostTimes }
  const workbook = await Workbook.open(file, limits).catch((error) => refuseWorkbook(file, error, maxUnpackedMb))
  return {
    ...{ format: 'xlsx', name: file, file, bytesTotal, maxUnpackedMb, workbook },
    bytesRead: () => workbook.bytesRead,
    close: () => void workbook.close().catch(() => {}),
  }
}

/** Throws what keeps a workbook from being read, for a person who wants to import it. */
export function refuseWorkbook(name: string, error: unknown, maxUnpackedMb: number): never {
  if (error instanceof TooLargeError) throw tooLargeError(name, maxUnpackedMb, error)
  if (error instanceof WorkbookError) throw new OperatorError(`${name}: ${error.message}.`, { cause: error })
  if (error instanceof OperatorError || (error as NodeJS.ErrnoException).code === undefined) throw error
  throw new OperatorError(`${name}: ${readFailureOf(error)}.`, { cause: error })
}
