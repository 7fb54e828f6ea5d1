import { formatDay, formatNumber, formatTime } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { Badge, type BadgeTone } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { MeterBar } from '#ui/data/tile.tsx'
import type { ApiKey } from './api.ts'
import { type BudgetMeter, budgetsOf, reservedOf } from './budget/budget.ts'
import { describeScopes } from './scopes/scopes.ts'

interface KeyActions {
  onChangeBudget: (key: ApiKey) => void
  onChangeScopes: (key: ApiKey) => void
  onRotate: (key: ApiKey) => void
  onSuspend: (key: ApiKey) => void
  onResume: (key: ApiKey) => void
  onRevoke: (key: ApiKey) => void
  /** The key that is being suspended or resumed. */
  changing: string | undefined
}

interface KeysTableProps {
  keys: readonly ApiKey[]
  /** Left out for those who may only look. */
  actions?: KeyActions | undefined
  isOutdated: boolean
}

export function KeysTable({ keys, actions, isOutdated }: KeysTableProps) {
  const columns: TableColumn<ApiKey>[] = [
    { id: 'name', label: 'Name', render: (key) => <KeyName apiKey={key} /> },
    { id: 'status', label: 'Status', render: ({ status }) => <Badge tone={tones[status]}>{labels[status]}</Badge> },
    { id: 'mode', label: 'Mode', render: ({ mode }) => modes[mode] },
    { id: 'scopes', label: 'Scopes', render: ({ scopes }) => describeScopes(scopes) },
    // Most accounts have no budgets: then there is no column of them.
    ...(keys.some((key) => budgetsOf(key).length > 0)
      ? [{ id: 'budget', label: 'Budget', render: (key: ApiKey) => <BudgetCell apiKey={key} /> }]
      : []),
    { id: 'used', label: 'Last used', render: (key) => <LastUse apiKey={key} /> },
    { id: 'ends', label: 'Ends', render: (key) => <End apiKey={key} /> },
  ]
  if (actions)
    columns.push({
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      align: 'end',
      render: (key) => <RowActions apiKey={key} {...actions} />,
    })
  return <Table label="Keys" columns={columns} rows={keys} getId={({ id }) => id} isOutdated={isOutdated} hasCards />
}

const modes = { live: 'Live', test: 'Test' }

const tones: Record<ApiKey['status'], BadgeTone> = {
  active: 'success',
  suspended: 'warning',
  expired: 'neutral',
  revoked: 'danger',
}
const labels: Record<ApiKey['status'], string> = {
  active: 'Active',
  suspended: 'Suspended',
  expired: 'Expired',
  revoked: 'Revoked',
}

function KeyName({ apiKey: { name, display } }: { apiKey: ApiKey }) {
  return (
    <div className="md:min-w-44">
      <span className="font-medium wrap-anywhere">{name}</span>
      <code className="block font-mono text-muted text-xs whitespace-nowrap">{display}</code>
    </div>
  )
}

function LastUse({ apiKey: { id, mode, last_used_at: used } }: { apiKey: ApiKey }) {
  if (!used) return <span className="text-muted">never</span>
  const search = new URLSearchParams({ ...(mode === 'test' && { mode }), by: 'key', who: id })
  return (
    <Link href={`/usage?${search}`} isPlain>
      <RelativeTime time={used} />
    </Link>
  )
}

function End({ apiKey: { expires_at, revoked_at } }: { apiKey: ApiKey }) {
  const end = revoked_at ?? expires_at
  if (!end) return <span className="text-muted">never</span>
  return (
    <time dateTime={end} title={formatTime(end)} className="whitespace-nowrap">
      {formatDay(end)}
    </time>
  )
}

/** The names are the same in each row: the row header says of which key they speak. */
function RowActions({ apiKey, changing, ...actions }: KeyActions & { apiKey: ApiKey }) {
  const { onChangeBudget, onChangeScopes, onRotate, onSuspend, onResume, onRevoke } = actions
  const { id, status } = apiKey
  if (status === 'expired' || status === 'revoked') return null
  const isChanging = changing === id
  return (
    <span className="flex flex-wrap justify-end gap-1 lg:flex-nowrap">
      <Button isSmall variant="quiet" onPress={() => onChangeBudget(apiKey)}>
        Budget
      </Button>
      <Button isSmall variant="quiet" onPress={() => onChangeScopes(apiKey)}>
        Scopes
      </Button>
      {status === 'suspended' ? (
        <Button isSmall variant="quiet" isPending={isChanging} onPress={() => onResume(apiKey)}>
          Resume
        </Button>
      ) : (
        <>
          <Button isSmall variant="quiet" onPress={() => onRotate(apiKey)}>
            Rotate
          </Button>
          <Button isSmall variant="quiet" isPending={isChanging} onPress={() => onSuspend(apiKey)}>
            Suspend
          </Button>
        </>
      )}
      <Button isSmall variant="quiet" className="text-danger-text!" onPress={() => onRevoke(apiKey)}>
        Revoke
      </Button>
    </span>
  )
}

const things: Record<BudgetMeter, string> = {
  contact_credits: 'credits',
  store_exports: 'exports',
  search_rows: 'rows',
}

/** The budgets of a key, with what is used of each in this period. */
function BudgetCell({ apiKey }: { apiKey: ApiKey }) {
  const budgets = budgetsOf(apiKey)
  if (budgets.length === 0) return <span className="text-muted">none</span>
  return (
    <ul className="min-w-32 space-y-1.5 text-xs">
      {budgets.map(([meter, figures]) => {
        const reserved = reservedOf(figures)
        return (
          <li key={meter} className="space-y-0.5">
            <span className="md:whitespace-nowrap">
              {formatNumber(figures.used)} of {formatNumber(figures.limit)} {things[meter]}
              {reserved > 0 && <span className="text-muted">, {formatNumber(reserved)} reserved</span>}
            </span>
            <MeterBar value={figures.used + reserved} limit={figures.limit} />
          </li>
        )
      })}
    </ul>
  )
}
