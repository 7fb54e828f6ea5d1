import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { useEnter } from './use-enter.ts'

/** Nothing happens until it is pressed: a link that somebody planted signs no browser in by being opened. */
export function OpenLinkButton({ token, children }: { token: string; children: string }) {
  const { enter, isPending, failure } = useEnter(() => call('openLink', { body: { token } }))
  return (
    <>
      <FormError>{failure !== undefined && messageOf(failure)}</FormError>
      <div className="flex flex-col">
        <Button variant="primary" isPending={isPending} onPress={() => void enter()} autoFocus>
          {children}
        </Button>
      </div>
    </>
  )
}
