import type { Role } from '#api/session.ts'

/** From the least to the most. */
export const roles = [
  { id: 'viewer', label: 'Viewer', description: 'Searches, and sees lists and usage.' },
  { id: 'member', label: 'Member', description: 'Also reveals people and takes stores.' },
  { id: 'admin', label: 'Admin', description: 'Also manages keys, members and invitations.' },
  { id: 'owner', label: 'Owner', description: 'Also pays, makes owners, and closes the account.' },
] as const satisfies readonly { id: Role; label: string; description: string }[]

export function roleLabel(role: Role): string {
  return roles.find(({ id }) => id === role)?.label ?? role
}

/** True if a member with the role may invite, change and remove members with the other role. */
export function mayManage(role: Role, managed: Role): boolean {
  return role === 'owner' || (role === 'admin' && managed !== 'owner')
}
