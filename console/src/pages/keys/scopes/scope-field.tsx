import { useIsAtLeast } from '#api/account.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { CheckboxGroup } from '#ui/fields/checkbox.tsx'
import { lacksBillingScopes, type Scope, scopes } from './scopes.ts'

interface ScopeFieldProps {
  held: readonly Scope[]
  onChange: (held: readonly Scope[]) => void
  /** Scopes that the key has already; with `canAdd` false no others can be chosen. */
  before?: readonly Scope[]
  canAdd?: boolean
  errorMessage: string | undefined
}

/** The scopes of a key, with a note on what it cannot do without a scope for billing. */
export function ScopeField({ held, onChange, before = [], canAdd = true, errorMessage }: ScopeFieldProps) {
  const isOwner = useIsAtLeast('owner')
  const isAllowed = (id: Scope) => before.includes(id) || (canAdd && (id !== 'billing:manage' || isOwner))
  return (
    <>
      <CheckboxGroup
        label="Scopes"
        options={scopes.map((scope) => ({ ...scope, isDisabled: !isAllowed(scope.id) }))}
        value={held}
        onChange={onChange}
        className="sm:grid sm:grid-cols-2 sm:gap-x-6 sm:[&>*:first-child]:col-span-2"
        errorMessage={held.length === 0 ? 'Choose at least one.' : errorMessage}
      />
      {held.length > 0 && lacksBillingScopes(held) && (
        <Banner tone="warning" isAnnounced>
          Without a scope for billing this key can do nothing once the plan lapses, not even ask why. It can be given
          one only while the account has access.
        </Banner>
      )}
    </>
  )
}
