import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { failureProps, hasCode } from '#api/failure.ts'
import { type List, useReloadLists } from '#api/lists.ts'
import { callQuery } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { Dialog } from '#ui/overlays/dialog.tsx'
import { ExportButton } from '../export-dialog/export-button.tsx'
import { sizeInWords, viewerReason } from '../lists/labels.ts'
import { ListForm } from '../lists/list-form.tsx'
import { ClosedState } from '../search/closed-state.tsx'
import { AddDomainsDialog } from './add-domains-dialog.tsx'
import { ListItems } from './list-items.tsx'

export default function ListPage() {
  const { list } = useParams({ from: '/app/lists/$list' })
  const { access } = useAccount()
  return (
    <>
      <p className="mb-2">
        <Link href="/lists">All lists</Link>
      </p>
      {access ? <OpenList key={list} id={list} /> : <ClosedList />}
    </>
  )
}

function ClosedList() {
  return (
    <>
      <PageHeader title="List" />
      <ClosedState what="Lists" />
    </>
  )
}

function OpenList({ id }: { id: string }) {
  const { id: account } = useAccount()
  const { data: list, error, isFetching, refetch } = useQuery(callQuery('getList', { account, id }))
  const isGone = hasCode(error, 'list_not_found') || hasCode(error, 'invalid_list_id')
  return (
    <>
      <PageHeader
        title={list?.name ?? 'List'}
        description={list && <Description list={list} />}
        actions={list && <ListActions account={account} list={list} />}
      />
      {isGone && <EmptyState title="There is no such list">It may have been deleted.</EmptyState>}
      {error && !isGone && (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      )}
      {list ? <ListItems account={account} list={list} /> : !error && <SkeletonRows />}
    </>
  )
}

function Description({ list }: { list: List }) {
  return (
    <>
      <p>{sizeInWords(list)}</p>
      {list.description && <p className="whitespace-pre-line wrap-anywhere">{list.description}</p>}
      <p>
        <Link href={`${list.kind === 'stores' ? '/stores' : '/people'}?exclude_lists=${list.id}`}>
          Search without them
        </Link>
      </p>
    </>
  )
}

function ListActions({ account, list }: { account: string; list: List }) {
  const isMember = useIsAtLeast('member')
  const [open, setOpen] = useState<'edit' | 'delete' | 'domains'>()
  const navigate = useNavigate()
  const reload = useReloadLists()
  const close = () => setOpen(undefined)
  const reason = isMember ? undefined : viewerReason
  const remove = async () => {
    await call('deleteList', { account, id: list.id })
    showToast(`“${list.name}” was deleted.`)
    await navigate({ to: '/lists' })
    void reload()
  }
  return (
    <>
      <ExportButton
        account={account}
        kinds={list.kind === 'stores' ? ['stores'] : ['contacts', 'previews']}
        query={{ list: list.id }}
        matches={list.items}
        isSmall={false}
      />
      {list.kind === 'stores' && (
        <Button disabledReason={reason} onPress={() => setOpen('domains')} aria-haspopup="dialog">
          Add domains
        </Button>
      )}
      <Button disabledReason={reason} onPress={() => setOpen('edit')} aria-haspopup="dialog">
        Rename
      </Button>
      <Button disabledReason={reason} onPress={() => setOpen('delete')} aria-haspopup="dialog">
        Delete
      </Button>
      <AddDomainsDialog account={account} list={list} isOpen={open === 'domains'} onClose={close} />
      <Dialog title="Rename list" isOpen={open === 'edit'} onClose={close}>
        <ListForm
          account={account}
          list={list}
          onCancel={close}
          onDone={() => {
            close()
            void reload()
          }}
        />
      </Dialog>
      <ConfirmDialog
        title={`Delete “${list.name}”?`}
        isOpen={open === 'delete'}
        onClose={close}
        confirmLabel="Delete"
        isDanger
        onConfirm={remove}
      >
        <p>
          The list goes with its {sizeInWords(list)}, and cannot be brought back. Stores and people themselves stay, and
          so does what is revealed.
        </p>
      </ConfirmDialog>
    </>
  )
}
