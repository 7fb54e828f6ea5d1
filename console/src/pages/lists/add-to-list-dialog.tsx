import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import { allListsQuery, type ItemsToAdd, type List, type ListKind, useReloadLists } from '#api/lists.ts'
import { callMetered, useRowsLeft } from '#api/metered.ts'
import { formatCount } from '#lib/format.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { NumberField } from '#ui/fields/number-field.tsx'
import { Select } from '#ui/fields/select.tsx'
import { TextField } from '#ui/fields/text-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import { addedInWords, sizeInWords } from './labels.ts'
import { boundsOfAdding, type SearchToAdd } from './search-items.ts'

interface AddToListDialogProps {
  account: string
  kind: ListKind
  items: ItemsToAdd | SearchToAdd
  onClose: () => void
}

/** Adds to one of the lists, or to a new one. */
export default function AddToListDialog({ account, kind, items, onClose }: AddToListDialogProps) {
  const { data: lists, error } = useQuery(allListsQuery(account, kind))
  return (
    <Dialog title="Add to list" isOpen onClose={onClose}>
      {error && <FormError>{messageOf(error)}</FormError>}
      {lists ? <AddForm {...{ account, kind, items, lists, onClose }} /> : !error && <SkeletonRows rows={2} />}
    </Dialog>
  )
}

const newList = 'new'

function AddForm({ account, kind, items, lists, onClose }: AddToListDialogProps & { lists: List[] }) {
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState('')
  const reload = useReloadLists()
  const client = useQueryClient()
  const rowsLeft = useRowsLeft(account)
  const search = 'matches' in items ? items : undefined
  const { most, proposed } = boundsOfAdding(search?.matches, rowsLeft)
  const [max, setMax] = useState(proposed)
  // The lists that were kept may lack one that was made since; they arrive a moment later.
  const choice = chosen ?? lists[0]?.id ?? newList
  const isNew = choice === newList
  const add = async () => {
    const created = isNew
      ? await call('createList', { account, body: { name: name.trim(), kind, description: null } })
      : undefined
    if (created) setChosen(created.id)
    const list = created ?? lists.find(({ id }) => id === choice)
    if (!list) return
    const body = 'matches' in items ? { from: items.from, max } : items
    const added = await callMetered({ client }, 'addListItems', { account, id: list.id, body })
    showToast(addedInWords(list, added))
    onClose()
  }
  const { submit, isPending, failure } = useSubmit(() => add().finally(() => void reload()))
  const options = [
    ...lists.map((list) => ({ id: list.id, label: list.name, description: sizeInWords(list) })),
    { id: newList, label: 'New list' },
  ]
  return (
    <form onSubmit={submit} className="space-y-4">
      <Select label="List" options={options} value={choice} onChange={setChosen} />
      {isNew && (
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          errorMessage={fieldError(failure, 'name')}
          maxLength={120}
          autoComplete="off"
          isRequired
        />
      )}
      {search && (
        <NumberField
          label="How many"
          description={`The first that match, in the order of the search. Each that the list does not have costs one search row${
            rowsLeft === undefined ? '' : `; ${formatCount(rowsLeft, 'is', 'are')} left`
          }.`}
          value={max}
          onChange={setMax}
          minValue={1}
          maxValue={most}
          isRequired
        />
      )}
      <FormError>{failure !== undefined && !fieldError(failure, 'name') && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onClose}>
        Add
      </FormActions>
    </form>
  )
}
