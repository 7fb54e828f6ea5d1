import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../kernel/errors.ts'
import { type DataKey, generateDataKey, parseDataKeys } from '../kernel/seal.ts'

/** The keyring that lies in the data directory when the operator gives none, readable by its owner only. */
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

/** The same at once, without a word when there is nothing to read: for who meets a key that was added meanwhile. */
export function rereadKeyFile(dataDir: string): DataKey[] {
  try {
    return parseDataKeys(readFileSync(keyFilePath(dataDir), 'utf8')) ?? []
  } catch {
    return []
  }
}

/** Of two starters at once one makes the file, and both read the same. */
export async function createKeyFile(dataDir: string): Promise<DataKey[]> {
  const path = keyFilePath(dataDir)
  await keepWhole(path, `${generateDataKey()}\n`, async (aside) => {
    await link(aside, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  })
  return (await readKeyFile(dataDir))!
}

/** Puts a new key in front, so that it seals from the next start on; answers its id. Callers take turns. */
export async function prependToKeyFile(dataDir: string): Promise<string> {
  const path = keyFilePath(dataDir)
  const kept = await readKeyFile(dataDir)
  const text = await readText(path)
  if (!kept || text === null) throw new OperatorError(`There is no keyring in ${path}.`)
  const entry = generateDataKey()
  await keepWhole(path, `${entry},${text.trim()}\n`, (aside) => rename(aside, path))
  return entry.slice(0, entry.indexOf(':'))
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new OperatorError(`The data keys in ${path} cannot be read.`, { cause })
  }
}

/** Written aside, then put in place: at no moment is there half a keyring. */
async function keepWhole(path: string, text: string, putInPlace: (aside: string) => Promise<void>): Promise<void> {
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    await writeFile(aside, text, { mode: 0o600, flag: 'wx', flush: true })
    await putInPlace(aside)
  } catch (cause) {
    throw new OperatorError(`The data keys cannot be kept in ${path}: make the folder writable or set DATA_KEYS.`, {
      cause,
    })
  } finally {
    await rm(aside, { force: true })
  }
}
