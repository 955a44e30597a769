"""Plays the first page of the repository from top to bottom with the program COUNTERSIGN_PROGRAM, in one home folder and on one log,
as a new user does, and compares what it prints with the page."""

import pathlib
import unittest

from check_quick_start import PlayedPage, read_blocks

PAGE = pathlib.Path(__file__).resolve().parents[2] / "README.md"


class Readme(PlayedPage):
    page = PAGE

    def test_page_works_in_the_order_in_which_it_is_read(self):
        agent, call = self.start_asking("countersign run -- uname -sm")
        self.assertEqual(self.decide(agent, call), "Linux x86_64\n")
        self.assertIn("finished", self.run_command(f"countersign show {call}"))
        self.assertIn("uname -sm", self.run_command("sqlite3 ~/.local/share/countersign/countersign.db 'SELECT * FROM calls'"))

        policy = next(block for block in read_blocks(PAGE) if block.startswith("# policy.toml"))
        (self.tour / "policy.toml").write_text(policy + "\n", encoding="utf-8")
        check = "countersign policy check policy.toml -- 'git log -3 | sh'"
        self.assertIn(self.shown[check].splitlines()[0], self.run_command(check))
        add = "countersign policy add policy.toml"
        self.assertIn(add, self.shown)
        self.run_command("countersign policy use careful --yes")
        self.assertIn("Active since", self.run_command(f"{add} --yes"))
        self.assertIn("policy.toml", self.run_command("countersign run -- ls policy.toml"))
        # The rules of the page stay while its requests are sent.
        self.play_requests(7)


if __name__ == "__main__":
    unittest.main()
