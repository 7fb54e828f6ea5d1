import { Readable } from 'node:stream'
import type { RevealedContact } from '../../contacts/schema.ts'
import { formatCsvRow } from '../../kernel/csv.ts'
import { recordAudit } from '../../people/audit.ts'
import type { ListPosition } from '../list-pages.ts'
import { selectReveals } from './queries.ts'
import { openRevealed, positionAfter, type RevealedContext, scopeOf } from './revealed.ts'

interface FileContext extends RevealedContext {
  /** The network address of the browser. */
  address: string
}

/**
 * All people that the account has revealed as CSV, newest first, with their current channels; costs nothing. It is read
 * page by page as the reader takes it, so that its size does not matter. Who takes the file is written to the audit log.
 */
export async function openRevealedFile(ctx: FileContext): Promise<Readable> {
  const { accountId, personId } = ctx.caller
  await recordAudit(ctx.db, {
    accountId,
    personId,
    action: 'contacts.downloaded',
    address: ctx.address,
    at: ctx.now,
  })
  const file: Readable = Readable.from(
    formatRevealed(ctx, () => file.destroyed),
    { objectMode: false },
  )
  return file
}

const rowsPerPage = 200

/** `isClosed` ends it also while it passes erased people, of whom it yields nothing. */
async function* formatRevealed(ctx: RevealedContext, isClosed: () => boolean): AsyncGenerator<string> {
  yield formatCsvRow(columns.map(([name]) => name))
  for (let after: ListPosition | null = null; !isClosed(); ) {
    const rows = await selectReveals(ctx.db, { ...scopeOf(ctx), after, storeId: null, limit: rowsPerPage })
    const last = rows.at(-1)
    if (!last) return
    const lines = (await openRevealed(ctx, rows)).map(({ contact }) =>
      formatCsvRow(columns.map(([, read]) => read(contact))),
    )
    if (lines.length > 0) yield lines.join('')
    if (rows.length < rowsPerPage) return
    after = positionAfter(last)
  }
}

type Column = [name: string, read: (contact: RevealedContact) => string | null]

const primaryOf = <Channel extends { is_primary: boolean }>(channels: Channel[]) =>
  channels.find((channel) => channel.is_primary)
const others = <Channel extends { is_primary: boolean }>(channels: Channel[], textOf: (channel: Channel) => string) =>
  channels
    .filter((channel) => !channel.is_primary)
    .map(textOf)
    .join('|') || null

const columns: readonly Column[] = [
  ['id', ({ id }) => id],
  ['full_name', ({ full_name }) => full_name],
  ['first_name', ({ first_name }) => first_name],
  ['last_name', ({ last_name }) => last_name],
  ['title', ({ title }) => title],
  ['role', ({ role }) => role],
  ['seniority', ({ seniority }) => seniority],
  ['profile_url', ({ profile_url }) => profile_url],
  ['email', ({ emails }) => primaryOf(emails)?.email ?? null],
  ['email_status', ({ emails }) => primaryOf(emails)?.status ?? null],
  ['email_type', ({ emails }) => primaryOf(emails)?.type ?? null],
  ['other_emails', ({ emails }) => others(emails, ({ email }) => email)],
  ['phone', ({ phones }) => primaryOf(phones)?.phone ?? null],
  ['phone_type', ({ phones }) => primaryOf(phones)?.type ?? null],
  ['other_phones', ({ phones }) => others(phones, ({ phone }) => phone)],
  ['store.id', ({ store }) => store.id],
  ['store.domain', ({ store }) => store.domain],
  ['store.name', ({ store }) => store.name],
  ['revealed_at', ({ revealed_at }) => revealed_at],
]
