import type { Readable } from 'node:stream'
import { lockCatalogue } from '../../catalogue/queries.ts'
import { transact } from '../../db/pool.ts'
import type { Identity } from '../../encryption/identities.ts'
import type { ErasureContext } from '../../erasure/erase-contacts.ts'
import { type Erasure, erasePeople, planErasures } from '../../erasure/erase-people.ts'
import * as load from '../../erasure/queries.ts'
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

/** Lines are new, or known already; and who of those on file was erased for them. */
export interface SuppressionsResult extends ImportResult {
  erased: number
}

/** Every contact on file is read once for as many lines. */
const linesPerChunk = 20_000
/** Few enough for others to get their turn in between. */
const peoplePerTransaction = 1_000

/**
 * Takes a list of people and companies who must not be on file: one email, phone, profile URL or domain a line. First no
 * import brings them any more, then those on file are erased. Stopped at any moment, the same list once more finishes the
 * work; taken again it changes nothing.
 */
export async function importSuppressions(ctx: ErasureContext, input: SuppressionsInput): Promise<SuppressionsResult> {
  const startedAtMs = performance.now()
  const source = await openText(input.file, input.stdin)
  const rejects = await RejectsFile.begin(rejectsPathFor(input.file, ctx.clock))
  const counts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0, erased: 0 }
  try {
    for await (const lines of readChunks(source)) {
      const chunk = readChunk(ctx, lines)
      const inserted = await suppress(ctx, chunk.suppressions)
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
    throw new OperatorError(`${error.message} The ${counts.read} lines before that are in force.`, { cause: error })
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

/** Answers how many of them are new; the same one twice is new once. */
function suppress({ db, clock }: ErasureContext, suppressions: readonly Suppression[]): Promise<number> {
  return transact(db, async (client) => {
    await load.prepareErasureTransaction(client)
    // An import that is at work commits first: whom it brings is found below. The next one sees what is suppressed.
    await lockCatalogue(client)
    const identities = suppressions.flatMap((suppression) => suppression.identities)
    const added = await load.insertSuppressions(client, identities, clock.now())
    return suppressions.filter((suppression) => takeAny(added, suppression.identities)).length
  })
}

function takeAny(hashes: Set<string>, identities: readonly Identity[]): boolean {
  return identities.map(({ hash }) => hashes.delete(hash)).includes(true)
}

async function eraseMatches(ctx: ErasureContext, suppressions: readonly Suppression[]): Promise<number> {
  const erasures = await transact(ctx.db, async (client) => {
    await load.prepareErasureTransaction(client)
    const people = suppressions.flatMap(({ identities, host }) => (host === null ? identities : []))
    const sites = suppressions.flatMap(({ identities, host }) => (host === null ? [] : identities))
    const hosts = suppressions.flatMap(({ host }) => host ?? [])
    const persons = people.length > 0 ? await load.findPeopleByHashes(client, hashesOf(people)) : []
    // Who only works at a company that asked is left out there, and not wherever else they may turn up.
    const colleagues = sites.length > 0 ? await load.findContactKeys(client, hashesOf(sites), hosts) : []
    const planned: Erasure[] = await planErasures(client, ctx.seals, persons)
    return [...planned, ...colleagues.map((contact) => ({ contact, suppressed: [] }))]
  })
  let erased = 0
  for (let start = 0; start < erasures.length; start += peoplePerTransaction) {
    const slice = erasures.slice(start, start + peoplePerTransaction)
    erased += await transact(ctx.db, async (client) => {
      await load.prepareErasureTransaction(client)
      await lockCatalogue(client)
      return erasePeople(client, slice, ctx.clock.now())
    })
  }
  return erased
}

function hashesOf(identities: readonly Identity[]): string[] {
  return identities.map(({ hash }) => hash)
}
