import { formatTime } from '#lib/format.ts'
import { Badge, type BadgeTone } from '#ui/data/badge.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { CodeBlock } from '#ui/fields/copyable.tsx'
import type { AccountDetails } from '../api.ts'
import { none, OperatorSection } from '../facts.tsx'
import { limitNames, wordsOf } from '../labels.ts'

/** The usage, members and audit log of the account. */
export function AccountSections({ details }: { details: AccountDetails }) {
  const { account, usage, keys, members, audit } = details
  return (
    <>
      <OperatorSection title="Usage">
        <Table
          hasCards
          label="Usage"
          columns={usageColumns}
          rows={usage}
          getId={({ mode, meter }) => `${mode} ${meter}`}
        />
      </OperatorSection>
      <OperatorSection title="Members">
        {members.length === 0 ? (
          <>
            <p className="mb-2 text-muted">Nobody signs in for this account. This adds somebody:</p>
            <CodeBlock
              label="Command"
              code={`npx storedex users create EMAIL --name NAME --account ${account.id} --role owner`}
            />
          </>
        ) : (
          <Table hasCards label="Members" columns={memberColumns} rows={members} getId={({ id }) => id} />
        )}
      </OperatorSection>
      <OperatorSection title="Keys">
        {keys.length === 0 ? (
          <p className="text-muted">No key was ever created.</p>
        ) : (
          <Table hasCards label="Keys" columns={keyColumns} rows={keys} getId={({ id }) => id} />
        )}
      </OperatorSection>
      <OperatorSection title="Last changes" description="From the audit log of the account, the newest first.">
        {audit.length === 0 ? (
          <p className="text-muted">Nothing was changed in the console yet.</p>
        ) : (
          <Table
            hasCards
            label="Last changes"
            columns={auditColumns}
            rows={audit}
            getId={({ entry }) => String(entry)}
          />
        )}
      </OperatorSection>
    </>
  )
}

const modeNames = { live: 'Live', test: 'Sandbox' }

const usageColumns: TableColumn<AccountDetails['usage'][number]>[] = [
  { id: 'meter', label: 'Meter', render: ({ meter }) => limitNames[meter] },
  { id: 'mode', label: 'Mode', render: ({ mode }) => modeNames[mode] },
  { id: 'used', label: 'Used', align: 'end', render: ({ used }) => <Num value={used} /> },
  { id: 'limit', label: 'Limit', align: 'end', render: ({ limit }) => <Num value={limit} /> },
  { id: 'remaining', label: 'Left', align: 'end', render: ({ remaining }) => <Num value={remaining} /> },
  { id: 'until', label: 'Until', className: 'whitespace-nowrap', render: ({ period_end }) => formatTime(period_end) },
]

const memberColumns: TableColumn<AccountDetails['members'][number]>[] = [
  { id: 'name', label: 'Name', render: ({ name }) => <bdi className="wrap-anywhere">{name}</bdi> },
  { id: 'email', label: 'Email', render: ({ email }) => <bdi className="wrap-anywhere">{email}</bdi> },
  { id: 'role', label: 'Role', render: ({ role }) => wordsOf(role) },
  { id: 'added', label: 'Added', render: ({ added_at }) => <RelativeTime time={added_at} /> },
]

const keyTones: Record<string, BadgeTone> = { active: 'success', suspended: 'warning' }

const keyColumns: TableColumn<AccountDetails['keys'][number]>[] = [
  { id: 'name', label: 'Name', render: ({ name }) => <bdi className="wrap-anywhere">{name}</bdi> },
  { id: 'display', label: 'Key', render: ({ display }) => <code className="text-xs">{display}</code> },
  {
    id: 'status',
    label: 'Status',
    render: ({ status }) => <Badge tone={keyTones[status] ?? 'neutral'}>{wordsOf(status)}</Badge>,
  },
  {
    id: 'used',
    label: 'Last used',
    render: ({ last_used_at }) => (last_used_at ? <RelativeTime time={last_used_at} /> : none),
  },
  { id: 'created', label: 'Created', render: ({ created_at }) => <RelativeTime time={created_at} /> },
]

const auditColumns: TableColumn<AccountDetails['audit'][number]>[] = [
  { id: 'action', label: 'What', render: ({ action }) => wordsOf(action) },
  { id: 'person', label: 'Who', render: ({ person }) => <bdi>{person?.name ?? 'The command line'}</bdi> },
  {
    id: 'details',
    label: 'Details',
    render: ({ details }) => {
      const entries = Object.entries(details)
      if (entries.length === 0) return none
      return (
        <span className="text-muted text-xs wrap-anywhere">
          {entries.map(([name, value]) => `${name} = ${value ?? 'default'}`).join(', ')}
        </span>
      )
    },
  },
  {
    id: 'address',
    label: 'From',
    render: ({ address }) => (address ? <code className="text-xs">{address}</code> : none),
  },
  { id: 'at', label: 'When', render: ({ at }) => <RelativeTime time={at} /> },
]
