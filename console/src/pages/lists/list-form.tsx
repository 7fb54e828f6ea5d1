import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import type { List, ListKind } from '#api/lists.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { FormError } from '#ui/fields/field.tsx'
import { RadioGroup } from '#ui/fields/radio-group.tsx'
import { TextArea, TextField } from '#ui/fields/text-field.tsx'
import { FormActions } from '#ui/overlays/dialog.tsx'

const kinds = [
  { id: 'stores', label: 'Stores', description: 'Also by domain, known or not yet.' },
  { id: 'contacts', label: 'People', description: 'Out of searches; they need not be revealed.' },
] as const

interface ListFormProps {
  account: string
  /** The list to change; without one a new list is created. */
  list?: List | undefined
  onDone: (list: List) => void
  onCancel: () => void
}

/** Name, kind and description of a list. The kind of a list cannot be changed. */
export function ListForm({ account, list, onDone, onCancel }: ListFormProps) {
  const [name, setName] = useState(list?.name ?? '')
  const [kind, setKind] = useState<ListKind>('stores')
  const [description, setDescription] = useState(list?.description ?? '')
  const { submit, isPending, failure } = useSubmit(async () => {
    const texts = { name: name.trim(), description: description.trim() || null }
    onDone(
      await (list
        ? call('updateList', { account, id: list.id, body: texts })
        : call('createList', { account, body: { ...texts, kind } })),
    )
  })
  const isAboutField = ['name', 'description'].some((field) => fieldError(failure, field))
  return (
    <form onSubmit={submit} className="space-y-4">
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        errorMessage={fieldError(failure, 'name')}
        maxLength={120}
        autoComplete="off"
        isRequired
        autoFocus
      />
      {!list && <RadioGroup label="What it holds" options={kinds} value={kind} onChange={setKind} />}
      <TextArea
        label="Description"
        value={description}
        onChange={setDescription}
        errorMessage={fieldError(failure, 'description')}
        maxLength={1_000}
        rows={3}
      />
      <FormError>{failure !== undefined && !isAboutField && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onCancel}>
        {list ? 'Save' : 'Create list'}
      </FormActions>
    </form>
  )
}
