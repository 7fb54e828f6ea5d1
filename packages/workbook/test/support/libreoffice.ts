import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { test } from 'vitest'

const isInstalled = await promisify(execFile)('soffice', ['--version']).then(
  () => true,
  () => false,
)

/** A test that needs LibreOffice. Without it the test is skipped, and the output says so. */
export function testWithLibreOffice(title: string, run: () => Promise<void>): void {
  if (!isInstalled)
    console.error(`LibreOffice is not installed (Debian package libreoffice-calc): not tested: ${title}`)
  test.skipIf(!isInstalled)(title, run)
}

/** Separator, quotes, UTF-8, from line 1; cells as they are shown, every sheet in a file of its own. */
const csvFilter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1'

/** What LibreOffice makes of a workbook: a CSV file for each sheet, or the workbook as LibreOffice saves it. By name. */
export async function convertWorkbook(workbook: Buffer, to: 'csv' | 'xlsx'): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'storedex-office-'))
  try {
    const [file, saved] = [join(folder, 'book.xlsx'), join(folder, 'saved')]
    await writeFile(file, workbook)
    await promisify(execFile)('soffice', [
      // Runs with one profile wait for each other.
      ...['--headless', `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`],
      ...['--convert-to', to === 'csv' ? csvFilter : 'xlsx', '--outdir', saved, file],
    ])
    const names = await readdir(saved)
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(saved, name))] as const)))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
