import type { PersonContext } from '../../auth/signed-in.ts'
import type { ConnectionPool } from '../../db/pool.ts'
import { type ErasureContext, eraseContacts } from '../../erasure/erase-contacts.ts'
import { RecordError } from '../../imports/faults.ts'
import { LineSplitter } from '../../imports/source/lines.ts'
import { isBlankOrComment, readSuppression, type Suppression } from '../../imports/suppressions/read-suppression.ts'
import { suppress } from '../../imports/suppressions/suppress.ts'
import { Refusal } from '../../kernel/errors.ts'
import { auditOperator, runOperatorVerb } from './context.ts'
import {
  type ErasureBody,
  type ErasureReply,
  maxShownRejects,
  type SuppressionCountsReply,
  type SuppressionsReply,
} from './data-schema.ts'
import { countSuppressions } from './queries.ts'

/** An erasure reads all contacts, which may take longer than a request's other statements. */
export type ErasureServices = Omit<ErasureContext, 'db'> & { db: ConnectionPool }

function erasureContext(services: ErasureServices): ErasureContext {
  return { ...services, db: services.db.lane('erasure') }
}

/** Erases a person as `contacts erase` does. The audit log has the number, and neither address nor name. */
export async function eraseByOperator(
  ctx: PersonContext,
  services: ErasureServices,
  { email, contact }: ErasureBody,
): Promise<ErasureReply> {
  if ((email === undefined) === (contact === undefined))
    throw new Refusal('invalid_request', 'Give either email or contact.', { param: 'email' })
  const target = email === undefined ? { id: contact! } : { email }
  const { erased } = await runOperatorVerb(() =>
    eraseContacts(erasureContext(services), target, (client, result) =>
      auditOperator(ctx, client, {
        accountId: null,
        action: 'contacts.erased',
        details: { by: email === undefined ? 'contact' : 'email', erased: result.erased },
      }),
    ),
  )
  return { object: 'erasure', erased, request_id: ctx.requestId }
}

/** Suppresses people and sites as `import suppressions` does, from text of one per line. */
export async function suppressByOperator(
  ctx: PersonContext,
  services: ErasureServices,
  text: string,
): Promise<SuppressionsReply> {
  const { suppressions, rejects } = readLines(services, text)
  const counts =
    suppressions.length === 0
      ? { inserted: 0, erased: 0 }
      : await runOperatorVerb(() =>
          suppress(erasureContext(services), suppressions, async (client, { inserted, erased }) => {
            if (inserted > 0)
              await auditOperator(ctx, client, {
                accountId: null,
                action: 'suppressions.added',
                details: { added: inserted },
              })
            if (erased > 0)
              await auditOperator(ctx, client, {
                accountId: null,
                action: 'contacts.erased',
                details: { by: 'suppression', erased },
              })
          }),
        )
  return {
    object: 'suppressions_added',
    read: suppressions.length + rejects.length,
    added: counts.inserted,
    unchanged: suppressions.length - counts.inserted,
    rejected: rejects.length,
    rejects: rejects.slice(0, maxShownRejects),
    erased: counts.erased,
    request_id: ctx.requestId,
  }
}

function readLines({ seals }: ErasureServices, text: string) {
  const splitter = new LineSplitter()
  const suppressions: Suppression[] = []
  const rejects: SuppressionsReply['rejects'] = []
  for (const line of [...splitter.push(Buffer.from(text)), ...splitter.end()]) {
    if (isBlankOrComment(line)) continue
    try {
      suppressions.push(readSuppression(line, seals.identities))
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      rejects.push({ line: line.number, reason: error.message })
    }
  }
  return { suppressions, rejects }
}

export async function describeSuppressions(ctx: PersonContext): Promise<SuppressionCountsReply> {
  const kinds = await countSuppressions(ctx.db)
  return {
    object: 'suppressions',
    kinds: kinds.map(({ last_added_at, ...kind }) => ({ ...kind, last_added_at: last_added_at.toISOString() })),
    request_id: ctx.requestId,
  }
}
