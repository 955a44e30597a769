# The formula of Countersign. packaging/collect fills in the version, the addresses and the checksums of a release.
class Countersign < Formula
  desc "Approval service between AI agents and the tools that they want to run"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@ADDRESS@/countersign-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@ADDRESS@/countersign-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@ADDRESS@/countersign-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@ADDRESS@/countersign-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "countersign"
    generate_completions_from_executable(bin/"countersign", "completions")
    doc.install "THIRD-PARTY.txt", "countersign.cdx.json"
    pkgshare.install Dir["share/*"]
  end

  # The service of one user, with that user's log. `countersign up` starts the same without Homebrew.
  service do
    run [opt_bin/"countersign", "serve"]
    keep_alive true
    log_path var/"log/countersign.log"
    error_log_path var/"log/countersign.log"
  end

  test do
    assert_match "countersign #{version}", shell_output("#{bin}/countersign --version")
    # Exit code 76: people are asked.
    assert_match "no rule matches this call", shell_output("#{bin}/countersign policy check -- ls", 76)
  end
end
