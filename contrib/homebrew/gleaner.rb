# For Homebrew, from the source archive of a release: put its address and its sum in, then `brew install --build-from-source
# ./gleaner.rb`. Not tried on a Mac yet.
class Gleaner < Formula
  desc "Filtering forward HTTP proxy that takes the clutter out of web pages"
  homepage "https://gleaner.invalid/"
  url "https://gleaner.invalid/gleaner-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    system "cargo", "run", "--locked", "-p", "xtask", "--", "completions", "completions"
    bash_completion.install "completions/gleaner.bash" => "gleaner"
    zsh_completion.install "completions/_gleaner"
    fish_completion.install "completions/gleaner.fish"
    system "cargo", "run", "--locked", "-p", "xtask", "--", "man", "--date", time.strftime("%F"), "man"
    man1.install Dir["man/*.1"]
    doc.install "config.example.yaml"
  end

  service do
    run [opt_bin/"gleaner", "serve"]
    keep_alive crashed: true
    log_path var/"log/gleaner.log"
    error_log_path var/"log/gleaner.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gleaner --version")
    (testpath/"page.html").write "<title>A</title><article><p>#{"Some words. " * 60}</p></article>"
    assert_match "Some words.", shell_output("#{bin}/gleaner extract --format text page.html")
  end
end
