/** Members and open invitations of an account together. */
export const maxMembers = 500
/** Open invitations of an account. */
export const maxOpenInvitations = 100
