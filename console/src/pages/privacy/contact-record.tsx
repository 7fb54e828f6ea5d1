import type { ReactNode } from 'react'
import type { Reply } from '#api/operations.ts'
import { formatCount, formatDay } from '#lib/format.ts'

/** One record of the catalogue with everything in it. */
export function ContactRecord({ contact }: { contact: Reply<'openPrivacyLink'>['contacts'][number] }) {
  const { store, match, withheld, emails, phones, added_at: addedAt, revealed_to_accounts: accounts } = contact
  const name =
    contact.full_name ?? ([contact.first_name, contact.last_name].filter((part) => part !== null).join(' ') || null)
  const facts: [string, ReactNode][] = [
    ['Name', name],
    ['Title', contact.title],
    ['Role', contact.role && words(contact.role)],
    ['Seniority', words(contact.seniority)],
    ...emails.map(
      ({ email, status, type, is_primary }) =>
        ['Email', <Channel key={email} text={email} notes={[words(status), type, is_primary && 'primary']} />] as [
          string,
          ReactNode,
        ],
    ),
    ...phones.map(
      ({ phone, type, is_primary }) =>
        ['Phone', <Channel key={phone} text={phone} notes={[type, is_primary && 'primary']} />] as [string, ReactNode],
    ),
    ['Profile', contact.profile_url],
    ['Number in the source', contact.external_id],
    ['On file since', addedAt ? formatDay(addedAt) : 'not recorded'],
    ['Shown to', accounts === 0 ? 'no customer' : formatCount(accounts, 'customer')],
  ]
  return (
    <article aria-label={`Record at ${store.name}`} className="rounded-lg border border-line bg-surface">
      <h3 className="border-line border-b px-4 py-2 wrap-anywhere">
        <bdi className="font-semibold">{store.name}</bdi> <span className="text-muted">{store.domain}</span>
      </h3>
      <dl className="divide-y divide-line px-4">
        {facts.map(([label, value], index) =>
          value === null || value === '' ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <div key={index} className="flex flex-wrap justify-between gap-x-4 py-1.5">
              <dt className="text-muted">{label}</dt>
              <dd className="ml-auto min-w-0 text-right wrap-anywhere">
                {typeof value === 'string' ? <bdi>{value}</bdi> : value}
              </dd>
            </div>
          ),
        )}
      </dl>
      {match !== 'address' && (
        <p className="border-line border-t px-4 py-2 text-muted">
          {match === 'shared_mailbox'
            ? 'This person shares the mailbox with others.'
            : 'This record belongs to the same person by another address or a profile.'}{' '}
          {withheld > 0 &&
            `${formatCount(withheld, 'further detail')} can be seen only with a link to the person's own address.`}{' '}
          Erasing takes this record, too.
        </p>
      )}
    </article>
  )
}

function Channel({ text, notes }: { text: string; notes: (string | false)[] }) {
  const shown = notes.filter((note) => note && note !== 'unknown' && note !== 'Unknown').join(', ')
  return (
    <>
      <bdi>{text}</bdi>
      {shown && <span className="block text-muted text-xs">{shown}</span>}
    </>
  )
}

function words(slug: string): string {
  return slug.replaceAll('_', ' ')
}
