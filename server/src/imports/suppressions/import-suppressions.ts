import type { Readable } from 'node:stream'
import { lockCatalogue } from '../../catalogue/queries.ts'
import { transact } from '../../db/pool.ts'
import type { Identity } from '../../encryption/identities.ts'
import type { ErasureContext } from '../../erasure/erase-contacts.ts'
import { type Erasure, erasePeople, planErasures } from '../../erasure/erase-people.ts'
import * as queries from '../../erasure/queries.ts'
import { OperatorError } from '../../kernel/errors.ts'
import { RecordError } from '../fields.ts'
import type { ImportProgress, ImportResult } from '../import-file.ts'
import { type Reject, RejectsFile, rejectsPathFor, toReject } from '../source/rejects.ts'
import { type Line, LineSplitter, openText, type TextSource } from '../source/text.ts'
import { isBlankOrComment, readSuppression, type Suppression } from './read-suppression.ts'

export interface SuppressionsInput {
  /** A path, or `-` for `stdin`. */
  file: string
  stdin?: Readable
  onProgress?(progress: ImportProgress): void
}

/** `inserted` counts new lines, `unchanged` known ones. */
export interface SuppressionsResult extends ImportResult {
  erased: number
}

/** Finding matches reads all contacts once per chunk. */
const linesPerChunk = 20_000
/** Few enough that other writers do not wait long. */
const peoplePerTransaction = 1_000

/**
 * Imports a list of people and companies that must not be stored: one email, phone, profile URL or domain per line. Per
 * chunk, it first suppresses them, so that imports reject them, and then erases stored contacts that match. Running the
 * same list again finishes an interrupted import, and otherwise changes nothing.
 */
export async function importSuppressions(ctx: ErasureContext, input: SuppressionsInput): Promise<SuppressionsResult> {
  const startedAtMs = performance.now()
  const source = await openText(input.file, input.stdin)
  const rejects = await RejectsFile.begin(rejectsPathFor(input.file, ctx.clock))
  const counts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0, erased: 0 }
  try {
    for await (const lines of readChunks(source)) {
      const chunk = readChunk(ctx, lines)
      const inserted = await insertSuppressions(ctx, chunk.suppressions)
      const erased = await eraseMatches(ctx, chunk.suppressions)
      await rejects.write(chunk.rejects)
      counts.read += lines.length
      counts.inserted += inserted
      counts.unchanged += chunk.suppressions.length - inserted
      counts.rejected += chunk.rejects.length
      counts.erased += erased
      const { read, rejected } = counts
      input.onProgress?.({ read, rejected, bytesRead: source.bytesRead(), bytesTotal: source.bytesTotal })
    }
  } catch (error) {
    if (!(error instanceof OperatorError) || counts.read === 0) throw error
    throw new OperatorError(`${error.message} The ${counts.read} lines before that have been imported.`, {
      cause: error,
    })
  } finally {
    source.close()
    await rejects.close()
  }
  const seconds = Math.round(performance.now() - startedAtMs) / 1000
  return { ...counts, rejects_file: rejects.path, seconds }
}

async function* readChunks(source: TextSource): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter()
  let chunk: Line[] = []
  async function* allLines() {
    for await (const block of source.blocks) yield splitter.push(block)
    yield splitter.end()
  }
  for await (const lines of allLines()) {
    for (const line of lines) {
      if (isBlankOrComment(line)) continue
      chunk.push(line)
      if (chunk.length < linesPerChunk) continue
      yield chunk
      chunk = []
    }
  }
  if (chunk.length > 0) yield chunk
}

function readChunk(
  { seals }: ErasureContext,
  lines: readonly Line[],
): { suppressions: Suppression[]; rejects: Reject[] } {
  const suppressions: Suppression[] = []
  const rejects: Reject[] = []
  for (const line of lines) {
    try {
      suppressions.push(readSuppression(line, seals.identities))
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      const toJson = () => JSON.stringify(line.bytes.toString('utf8'))
      rejects.push(toReject({ line: line.number, toJson }, error.message))
    }
  }
  return { suppressions, rejects }
}

/** Returns how many suppressions are new; a duplicate counts once. */
function insertSuppressions({ db, clock }: ErasureContext, suppressions: readonly Suppression[]): Promise<number> {
  return transact(db, async (client) => {
    await queries.prepareErasureTransaction(client)
    // A running import commits first, so the erasure finds its contacts. The next import reads the suppressions.
    await lockCatalogue(client)
    const identities = suppressions.flatMap((suppression) => suppression.identities)
    const added = await queries.insertSuppressions(client, identities, clock.now())
    return suppressions.filter((suppression) => deleteAny(added, suppression.identities)).length
  })
}

function deleteAny(hashes: Set<string>, identities: readonly Identity[]): boolean {
  return identities.map(({ hash }) => hashes.delete(hash)).includes(true)
}

async function eraseMatches(ctx: ErasureContext, suppressions: readonly Suppression[]): Promise<number> {
  const erasures = await transact(ctx.db, async (client) => {
    await queries.prepareErasureTransaction(client)
    const personal = suppressions.flatMap(({ identities, host }) => (host === null ? identities : []))
    const sites = suppressions.flatMap(({ identities, host }) => (host === null ? [] : identities))
    const hosts = suppressions.flatMap(({ host }) => host ?? [])
    const people = personal.length > 0 ? await queries.findPeopleByHashes(client, hashesOf(personal)) : []
    // A suppressed domain does not erase the same people at other stores, so these are not passed to `planErasures`.
    const colleagues = sites.length > 0 ? await queries.findContactKeys(client, hashesOf(sites), hosts) : []
    const planned: Erasure[] = await planErasures(client, ctx.seals, people)
    return [...planned, ...colleagues.map((contact) => ({ contact, suppressed: [] }))]
  })
  let erased = 0
  for (let start = 0; start < erasures.length; start += peoplePerTransaction) {
    const slice = erasures.slice(start, start + peoplePerTransaction)
    erased += await transact(ctx.db, async (client) => {
      await queries.prepareErasureTransaction(client)
      await lockCatalogue(client)
      return erasePeople(client, slice, ctx.clock.now())
    })
  }
  return erased
}

function hashesOf(identities: readonly Identity[]): string[] {
  return identities.map(({ hash }) => hash)
}
