import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { TooLargeError, Workbook, WorkbookError } from '@storedex/workbook/read'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { beginsArchive, describeCompoundFile, directoryOfCompoundFile } from './other-formats.ts'
import { defaultMaxUnpackedMb, openTextFile, readableFile, readFailureOf, type TextFile } from './text.ts'

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

/** How much a workbook may hold: honest ones hold 5 to 30 times their size. */
const mostTimes = 200

/** Opens an import file: a workbook by its content, a text by its name, or standard input (JSON) for `-`. */
export async function openSource(
  file: string,
  stdin: Readable | undefined,
  maxUnpackedMb = defaultMaxUnpackedMb,
): Promise<ImportSource> {
  if (file !== '-' && (await isArchive(file))) return openWorkbook(file, maxUnpackedMb)
  return openTextFile(file, stdin, maxUnpackedMb)
}

const headBytes = 512
const directoryBytes = 4_096

/** Throws an `OperatorError` for a file in the container of old programs that is no workbook, or is encrypted. */
async function isArchive(path: string): Promise<boolean> {
  const stats = await readableFile(path)
  if (!stats.isFile()) return false
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
    return beginsArchive(first)
  } finally {
    await file.close()
  }
}

async function openWorkbook(file: string, maxUnpackedMb: number): Promise<WorkbookFile> {
  const { size } = await readableFile(file)
  const limits = { maxUnpackedBytes: maxUnpackedMb * 1e6, maxTimes: mostTimes }
  const workbook = await Workbook.open(file, limits).catch((error) => refuseWorkbook(file, error, maxUnpackedMb))
  return {
    ...{ format: 'xlsx', name: file, file, bytesTotal: size, maxUnpackedMb, workbook },
    bytesRead: () => workbook.bytesRead,
    close: () => void workbook.close().catch(() => {}),
  }
}

/** Throws what keeps a workbook from being read, for a person who wants to import it. */
export function refuseWorkbook(name: string, error: unknown, maxUnpackedMb: number): never {
  if (error instanceof TooLargeError)
    throw new OperatorError(
      `${name}: it holds more than ${formatNumber(maxUnpackedMb)} MB, which IMPORT_MAX_UNPACKED_MB allows. Raise it, or import parts.`,
      { cause: error },
    )
  if (error instanceof WorkbookError) throw new OperatorError(`${name}: ${error.message}.`, { cause: error })
  if (error instanceof OperatorError || (error as NodeJS.ErrnoException).code === undefined) throw error
  throw new OperatorError(`${name}: ${readFailureOf(error)}.`, { cause: error })
}
