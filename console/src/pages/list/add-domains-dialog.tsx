import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { type List, useReloadLists } from '#api/lists.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextArea } from '#ui/fields/text-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import { addedInWords } from '../lists/labels.ts'

interface AddDomainsDialogProps {
  account: string
  list: List
  isOpen: boolean
  onClose: () => void
}

/** For domains out of another program: one a line, or with commas between. */
export function AddDomainsDialog({ account, list, isOpen, onClose }: AddDomainsDialogProps) {
  return (
    <Dialog title="Add domains" isOpen={isOpen} onClose={onClose}>
      <DomainsForm {...{ account, list, onClose }} />
    </Dialog>
  )
}

function DomainsForm({ account, list, onClose }: Omit<AddDomainsDialogProps, 'isOpen'>) {
  const [text, setText] = useState('')
  const reload = useReloadLists()
  const domains = text.split(/[\s,;]+/).filter((domain) => domain !== '')
  const add = async () => {
    showToast(addedInWords(list, await call('addListItems', { account, id: list.id, body: { domains } })))
    onClose()
    void reload()
  }
  const { submit, isPending, failure } = useSubmit(() => (domains.length > 0 ? add() : undefined))
  return (
    <form onSubmit={submit}>
      <TextArea
        label="Domains"
        description="One a line, 1,000 at most. Those without a store wait in the list until an import brings it."
        value={text}
        onChange={setText}
        rows={8}
        isRequired
        autoFocus
      />
      <FormError>{failure !== undefined && withDomains(messageOf(failure), domains)}</FormError>
      <FormActions isPending={isPending} onCancel={onClose}>
        Add
      </FormActions>
    </form>
  )
}

/** The places that the server names, such as `domains[2]`, as the texts that stand there. */
function withDomains(message: string, domains: readonly string[]): string {
  return message.replace(/\bdomains\[(\d+)\]/g, (place, index: string) => {
    const domain = domains[Number(index)]
    return domain === undefined ? place : `“${domain}”`
  })
}
