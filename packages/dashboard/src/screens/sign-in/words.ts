export const words = {
  title: "Sign in",
  heading: "Sign in to Tidings",
  email: "Email",
  password: "Password",
  newPassword: "Choose a password",
  passwordHint: "At least 10 characters. A short sentence is easy to remember.",
  name: "Your name",
  signIn: "Sign in",
  with: (name: string) => `Continue with ${name}`,
  or: "or",
  forgotten:
    "Forgot your password? Ask an owner for a reset link, or run `tidings sign-in` (in a clone `npm run sign-in`) on the server.",
  first: "Welcome to Tidings",
  firstText:
    "There are no accounts yet. To create the first one, open the link in the output of npm start, or in the file it names.",
  links: {
    first: {
      heading: "Create your account",
      text: "This account owns the installation.",
      button: "Create account",
    },
    invitation: {
      heading: "Join Tidings",
      text: "You have been invited. Choose a name and a password.",
      button: "Join",
    },
    reset: {
      heading: "Choose a new password",
      text: "The old one stops working immediately.",
      button: "Save and sign in",
    },
  },
  checking: "Checking the link …",
  badLink: "This link no longer works",
  badLinkText: "It was already used, or it has expired. Ask an owner for a new one.",
  toSignIn: "Go to sign-in",
} as const;
