import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../kernel/errors.ts'
import { type DataKey, formatDataKeys, generateDataKey, parseDataKeys } from '../kernel/seal.ts'

/** The keyring that is used unless DATA_KEYS is set; readable by its owner only. */
export function keyFilePath(dataDir: string): string {
  return join(dataDir, 'data-keys')
}

export async function readKeyFile(dataDir: string): Promise<DataKey[] | null> {
  const path = keyFilePath(dataDir)
  const text = await readText(path)
  if (text === null) return null
  const keys = parseDataKeys(text)
  if (!keys) throw new OperatorError(`${path} does not hold data keys (id:base64[,id:base64…]).`)
  return keys
}

/** Reads the file again for a key that was added since; empty if it cannot be read. */
export function rereadKeyFile(dataDir: string): DataKey[] {
  try {
    return parseDataKeys(readFileSync(keyFilePath(dataDir), 'utf8')) ?? []
  } catch {
    return []
  }
}

/** Creates the file unless another process just did; both read the same keys. */
export async function createKeyFile(dataDir: string): Promise<DataKey[]> {
  const path = keyFilePath(dataDir)
  await writeAtomically(path, `${generateDataKey()}\n`, async (temporary) => {
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  })
  return (await readKeyFile(dataDir))!
}

/** Adds a new key in front, which seals from the next start on, and returns its id. Callers must not run at once. */
export async function prependToKeyFile(dataDir: string): Promise<string> {
  const path = keyFilePath(dataDir)
  const keys = await readKeyFile(dataDir)
  const text = await readText(path)
  if (!keys || text === null) throw new OperatorError(`There is no keyring in ${path}.`)
  const entry = generateDataKey()
  await writeAtomically(path, `${entry},${text.trim()}\n`, (temporary) => rename(temporary, path))
  return entry.slice(0, entry.indexOf(':'))
}

/** Puts keys in front of those in the file, which is created if there is none. Callers must not run at once. */
export async function addToKeyFile(dataDir: string, added: readonly DataKey[]): Promise<void> {
  const path = keyFilePath(dataDir)
  const others = ((await readKeyFile(dataDir)) ?? []).filter(({ id }) => added.every((key) => key.id !== id))
  const text = formatDataKeys([...added, ...others])
  await writeAtomically(path, `${text}\n`, (temporary) => rename(temporary, path))
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new OperatorError(`The data keys in ${path} cannot be read.`, { cause })
  }
}

/** Writes a temporary file and moves it into place, so that no reader sees half a keyring. */
async function writeAtomically(
  path: string,
  text: string,
  moveIntoPlace: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true })
    await moveIntoPlace(temporary)
  } catch (cause) {
    throw new OperatorError(`The data keys cannot be kept in ${path}: make the folder writable or set DATA_KEYS.`, {
      cause,
    })
  } finally {
    await rm(temporary, { force: true })
  }
}
