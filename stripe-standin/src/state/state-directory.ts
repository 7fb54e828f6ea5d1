import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, DatabaseSnapshot } from './database.ts'

const formatVersion = 1

/**
 * Saves the database in one file. Each version is written to a temporary file, synced and renamed, so that a crash
 * leaves either the old or the new version. Saves requested during a write share the next one.
 */
export class StateFile {
  private readonly file: string
  private readonly directory: string
  private readonly db: Database
  private writing: Promise<void> = Promise.resolve()
  private next: Promise<void> | undefined

  constructor(directory: string, db: Database) {
    this.directory = directory
    this.file = join(directory, 'state.json')
    this.db = db
  }

  /** Resolves when the current state is on disk. */
  save(): Promise<void> {
    if (!this.next) {
      const before = this.writing
      this.next = before
        .catch(() => {}) // its own callers got the error
        .then(() => {
          this.next = undefined
          return this.write()
        })
      this.writing = this.next
    }
    return this.next
  }

  /** Resolves when no save is pending. */
  async settled(): Promise<void> {
    await (this.next ?? this.writing)
  }

  private async write(): Promise<void> {
    const aside = `${this.file}.new`
    const text = `{"format":${formatVersion},"book":${this.db.toJson()}}`
    const file = await open(aside, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(aside, this.file)
    const directory = await open(this.directory, 'r')
    await directory.sync().finally(() => directory.close())
  }
}

/** Reads the last saved state in `directory`; undefined if there is none. */
export function readStateFile(directory: string): DatabaseSnapshot | undefined {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // An existing directory may be readable by others, and the ids in the state give access to pages.
  chmodSync(directory, 0o700)
  const file = join(directory, 'state.json')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const { format, book } = parse(file, text)
  if (format !== formatVersion) throw new Error(`${file} has format ${format}; this stand-in reads ${formatVersion}.`)
  return book
}

function parse(file: string, text: string): { format: number; book: DatabaseSnapshot } {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file} is damaged. Move it away to start with empty state.`, { cause: error })
  }
}

/**
 * The generated API key: created once per state directory, readable by its owner only, or for this process if there is
 * no directory. Call it while the directory is locked.
 */
export function loadOrCreateSecretKey(stateDir: string | undefined): string {
  if (stateDir === undefined) return newKey()
  const file = join(stateDir, 'secret-key')
  const kept = readSavedKey(file)
  if (kept) {
    // A copied file may be readable by others.
    chmodSync(file, 0o600)
    return kept
  }
  const key = newKey()
  const aside = `${file}.new`
  writeFileSync(aside, `${key}\n`, { mode: 0o600 })
  renameSync(aside, file)
  return key
}

function newKey(): string {
  return `sk_test_${randomBytes(24).toString('hex')}`
}

function readSavedKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
