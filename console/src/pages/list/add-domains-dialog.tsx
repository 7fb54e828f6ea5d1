import { type FormEvent, useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { TextArea } from '#ui/fields/text-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import { addToList, type List, useReloadLists } from '../lists/lists-api.ts'
import { addedInWords } from '../lists/words.ts'

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
  const [isPending, setIsPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const reload = useReloadLists(account)
  const domains = text.split(/[\s,;]+/).filter((domain) => domain !== '')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (domains.length === 0) return
    setIsPending(true)
    setProblem(undefined)
    try {
      showToast(addedInWords(list, await addToList(account, list.id, { domains })))
      onClose()
      void reload()
    } catch (error) {
      setProblem(withDomains(messageOf(error), domains))
      setIsPending(false)
    }
  }
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
      <FormError>{problem}</FormError>
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
